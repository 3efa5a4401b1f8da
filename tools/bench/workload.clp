; The steps for a queue put to remote destinations, as CLIPS rules: salience gives the order of the clauses,
; who is out is retracted, who is left at the end is permitted.

(defglobal ?*chosen* = -1 ?*permitted* = 0 ?*reason* = 0 ?*factor* = 0.0 ?*number* = 0)

(deftemplate put (slot pcf) (slot from-cluster) (slot qmgr-use) (slot mruc) (slot last) (multislot sent))
(deftemplate destination
  (slot id) (slot qm) (slot local) (slot use) (slot enabled) (slot shares) (slot in-cluster) (slot suspended) (slot manual)
  (slot status) (slot rank) (slot queue-rank) (slot net) (slot priority) (slot number) (slot factor) (slot weight))

(deffunction enter-put (?pcf ?from ?use ?mruc ?last $?sent)
  (assert (put (pcf ?pcf) (from-cluster ?from) (qmgr-use ?use) (mruc ?mruc) (last ?last) (sent ?sent))) TRUE)
(deffunction enter (?id ?qm ?local ?use ?en ?sh ?in ?su ?ma ?st ?ra ?qr ?ne ?pr ?nu ?fa ?we)
  (assert (destination (id ?id) (qm ?qm) (local ?local) (use ?use) (enabled ?en) (shares ?sh) (in-cluster ?in)
    (suspended ?su) (manual ?ma) (status ?st) (rank ?ra) (queue-rank ?qr) (net ?ne) (priority ?pr) (number ?nu)
    (factor ?fa) (weight ?we))) TRUE)
(deffunction used-before (?one ?other)
  (bind ?n (fact-slot-value ?one number)) (bind ?m (fact-slot-value ?other number))
  (or (< ?n ?m) (and (= ?n ?m) (> (fact-slot-value ?one id) (fact-slot-value ?other id)))))

(defrule every-one-put-disabled (declare (salience 100))
  (exists (destination (shares TRUE) (in-cluster TRUE)))
  (not (destination (shares TRUE) (in-cluster TRUE) (enabled TRUE)))
  => (bind ?*reason* 2268))

(defrule step-1a (declare (salience 99)) ?d <- (destination (enabled FALSE)) => (retract ?d))
(defrule step-1b (declare (salience 98)) ?d <- (destination (local FALSE) (shares FALSE)) => (retract ?d))
(defrule step-1c (declare (salience 97)) ?d <- (destination (local FALSE) (in-cluster FALSE)) => (retract ?d))

(defrule step-3 (declare (salience 95))
  (put (from-cluster ?from) (qmgr-use ?qmgr))
  ?l <- (destination (local TRUE) (use ?use))
  (test (or ?from (eq ?use LOCAL) (and (eq ?use QMGR) (eq ?qmgr LOCAL))))
  ?d <- (destination (local FALSE))
  => (retract ?d))

(defrule step-4 (declare (salience 90)) (put (pcf TRUE) (sent $? ?qm $?)) ?d <- (destination (qm ?qm)) => (retract ?d))

(defrule step-4a (declare (salience 88))
  (destination (local FALSE) (rank ?best)) ?d <- (destination (local FALSE) (rank ?r&:(< ?r ?best))) => (retract ?d))
(defrule step-4b (declare (salience 86))
  (destination (queue-rank ?best)) ?d <- (destination (queue-rank ?r&:(< ?r ?best))) => (retract ?d))

(defrule step-5 (declare (salience 84))
  (not (destination (local TRUE)))
  (exists (destination (suspended FALSE))) ?d <- (destination (suspended TRUE)) => (retract ?d))

(defrule step-6 (declare (salience 82))
  (exists (destination (local FALSE) (status INACTIVE | RUNNING)))
  ?d <- (destination (local FALSE) (status ~INACTIVE & ~RUNNING)) => (retract ?d))
(defrule step-7 (declare (salience 80))
  (exists (destination (local FALSE) (status BINDING | INITIALIZING | STARTING | STOPPING)))
  ?d <- (destination (local FALSE) (status RETRYING | REQUESTING | PAUSED | STOPPED)) => (retract ?d))
(defrule step-8-9 (declare (salience 78))
  (exists (destination (local FALSE) (status RETRYING)))
  ?d <- (destination (local FALSE) (status REQUESTING | PAUSED | STOPPED)) => (retract ?d))

(defrule step-10 (declare (salience 76))
  (put (pcf TRUE)) (exists (destination (local FALSE) (manual TRUE)))
  ?d <- (destination (local FALSE) (manual FALSE)) => (retract ?d))
(defrule step-11 (declare (salience 74))
  (destination (local FALSE) (qm ?qm) (net ?best))
  ?d <- (destination (local FALSE) (qm ?qm) (net ?n&:(< ?n ?best))) => (retract ?d))
(defrule step-11b (declare (salience 72))
  (destination (priority ?best)) ?d <- (destination (priority ?p&:(< ?p ?best))) => (retract ?d))

(defrule step-11c (declare (salience 70))
  (put (mruc ?mruc&:(< ?mruc 1000)))
  =>
  (bind ?left (find-all-facts ((?d destination)) TRUE))
  (if (> (length$ ?left) ?mruc) then
    (progn$ (?d (subseq$ (sort used-before ?left) (+ ?mruc 1) (length$ ?left))) (retract ?d))))

(defrule step-12-factor (declare (salience 60))
  (destination (factor ?best)) ?d <- (destination (factor ?f&:(> ?f ?best))) => (retract ?d))
(defrule step-12-number (declare (salience 58))
  (destination (number ?best)) ?d <- (destination (number ?n&:(> ?n ?best))) => (retract ?d))

(defrule choice (declare (salience 50))
  (put (last ?last))
  (destination (id ?id) (factor ?f) (weight ?w))
  (not (destination (id ?other&:(< ?other ?id))))
  =>
  (bind ?*chosen* ?id) (bind ?*permitted* (length$ (find-all-facts ((?d destination)) TRUE)))
  (bind ?*factor* (+ ?f (/ 1000.0 ?w))) (bind ?*number* (+ ?last 1)))
(defrule nothing-left (declare (salience 40))
  (not (destination)) (test (= ?*reason* 0)) => (bind ?*reason* 2085))
